;;; genc-mode.el --- GenC descriptions  -*- lexical-binding: t -*-
;; Emacs 29 or later: (load "…/editors/emacs/genc-mode.el") in init.el; then M-x eglot in a file of GenC.

(define-derived-mode genc-mode c-mode "GenC"
  "For descriptions of processors (.ac, .genc)."
  (setq-local comment-start "// " comment-end "" indent-tabs-mode nil c-basic-offset 4))
(add-to-list 'auto-mode-alist '("\\.\\(genc\\|ac\\)\\'" . genc-mode))
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(genc-mode "gencc" "lsp")))

(provide 'genc-mode)
