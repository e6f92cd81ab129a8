-- Neovim with nvim-dap: `dofile("…/editors/nvim/shaders.lua")` in init.lua.
local dap = require("dap")

dap.adapters.gencc = { type = "executable", command = "gencc-dap" }
dap.configurations.c = dap.configurations.c or {}
table.insert(dap.configurations.c, {
    type = "gencc",
    request = "launch",
    name = "Shader of a snapshot",
    snapshot = function() return vim.fn.input("Snapshot: ", vim.fn.getcwd() .. "/", "file") end,
    kernel = function() return vim.fn.input("Kernel: ", vim.fn.expand("<cword>")) end,
    source = "${file}",
    stopOnEntry = true,
})
vim.filetype.add({ extension = { cl = "c" } })
