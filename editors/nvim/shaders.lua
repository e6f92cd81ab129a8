-- Neovim with nvim-dap: `dofile("…/editors/nvim/shaders.lua")` in init.lua.
local dap = require("dap")
local answers = {}

-- nvim-dap evaluates a configuration's functions in any order; the first asks for both.
local function ask(what)
    if not answers[what] then
        answers = {
            snapshot = vim.fn.input("Snapshot: ", vim.fn.getcwd() .. "/", "file"),
            kernel = vim.fn.input("Kernel: ", vim.fn.expand("<cword>")),
        }
    end
    local answer = answers[what]
    answers[what] = nil
    return answer
end

dap.adapters.gencc = { type = "executable", command = "gencc-dap" }
dap.configurations.c = dap.configurations.c or {}
table.insert(dap.configurations.c, {
    type = "gencc",
    request = "launch",
    name = "Shader of a snapshot",
    snapshot = function() return ask("snapshot") end,
    kernel = function() return ask("kernel") end,
    source = "${file}",
    stopOnEntry = true,
})
-- Neovim 0.7 takes *.cl for Lisp, and does not look at vim.filetype by itself.
vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, { pattern = "*.cl", command = "set filetype=c" })
