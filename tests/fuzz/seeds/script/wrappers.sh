sudo -u root env A=b nice -n 5 timeout 10s nohup xargs -0 -n1 sh -c 'curl "$0"'
find . -name '*.key' -exec cat {} + -delete
ssh host "rm -rf /"; docker run --rm -v /:/host alpine chroot /host sh
git -c core.sshCommand='curl x' fetch; awk 'BEGIN{system("id")}'; sed -n '1e id' x
