// Starts `gencc lsp` for files of GenC, and `gencc-dap` for shaders.
const { workspace, debug, DebugAdapterExecutable } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = (context) => {
    const settings = workspace.getConfiguration("genc"), command = settings.get("server");
    context.subscriptions.push(debug.registerDebugAdapterDescriptorFactory("gencc", {
        createDebugAdapterDescriptor: () => new DebugAdapterExecutable(settings.get("debugger"), []),
    }));
    client = new LanguageClient("genc", "gencc", { command, args: ["lsp"] },
        { documentSelector: [{ scheme: "file", language: "genc" }] });
    return client.start();
};
exports.deactivate = () => client && client.stop();
