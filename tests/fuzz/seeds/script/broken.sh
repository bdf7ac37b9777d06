if then ; ) } esac fi && || | ;; `echo $(
'never closed
