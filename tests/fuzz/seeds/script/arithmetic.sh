(( i++ )); let 'x = $(id)'; [[ -f .env && $x =~ ^a(b|c)$ ]]; [ "$x" -eq 1 ]; test -r secrets.yaml
declare -A m=([a]=1); export TOKEN=abc; unset X; read -r Y; printf -v Z %s a; mapfile -t l < f
