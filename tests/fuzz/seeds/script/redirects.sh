exec 3<> /dev/tcp/x.example/80
echo a >> log 2>&1; cat <(ls) >(tee out) &> all; : > ../outside; dd if=/dev/sda of=disk.img
