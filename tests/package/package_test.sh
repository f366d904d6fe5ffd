#!/usr/bin/env bash
# package_test.sh BUILD_DIR ANSWER PICTURE: the Debian package that cpack makes of a build works from where it is unpacked.
set -euo pipefail
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { printf 'package: %s\n' "$*" >&2; exit 1; }

(cd "$folder" && cpack --config "$build/CPackConfig.cmake" -B "$folder" > cpack.log 2>&1) ||
  fail "cpack failed: $(tail -n 5 "$folder/cpack.log")"
package=$(ls "$folder"/*.deb)
dpkg-deb --extract "$package" "$folder/root"
dpkg-deb --field "$package" Depends | grep -q 'libvips' || fail "the package does not depend on libvips"
dpkg-deb --info "$package" conffiles | grep -qx /etc/default/ocelli || fail "its settings are no conffile"
[ -f "$folder/root/usr/lib/systemd/system/ocelli.service" ] ||
  fail "the systemd unit is missing"
# Away from the source tree, with the model that the package itself carries.
answer=$(cd / && env -u OCELLI_MODEL "$folder/root/usr/bin/ocelli" ask "$3" "Read the text.")
[ "$answer" = "$2" ] || fail "the packaged program answered '$answer', not '$2'"
printf 'package: %s works\n' "$(basename "$package")"
