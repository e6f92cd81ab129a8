// Starts `gencc lsp` for files of GenC.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
    const command = workspace.getConfiguration("genc").get("server");
    client = new LanguageClient("genc", "gencc", { command, args: ["lsp"] },
        { documentSelector: [{ scheme: "file", language: "genc" }] });
    return client.start();
};
exports.deactivate = () => client && client.stop();
