cat > config.json <<EOF
{"token": "$API_TOKEN", "now": "$(date)"}
EOF
bash <<'END'
rm -rf build
END
tr a-z A-Z <<< "$USER"
