-- Neovim 0.8 or later: `dofile("…/editors/nvim/genc.lua")` in init.lua.
vim.filetype.add({ extension = { genc = "genc", ac = "genc" } })
vim.api.nvim_create_autocmd("FileType", {
    pattern = "genc",
    callback = function(event)
        vim.bo[event.buf].commentstring = "// %s"
        vim.bo[event.buf].shiftwidth = 4
        vim.bo[event.buf].expandtab = true
        vim.bo[event.buf].syntax = "c"
        local git = vim.fs.find(".git", { path = vim.api.nvim_buf_get_name(event.buf), upward = true })[1]
        vim.lsp.start({ name = "gencc", cmd = { "gencc", "lsp" }, root_dir = git and vim.fs.dirname(git) })
    end,
})
