deploy() { local target=$1; ssh "$target" 'systemctl restart web'; }
deploy prod
alias ll='ls -l'
trap 'rm -f /tmp/x' EXIT
. ./env.sh
