#!/bin/sh
# Installs what these tools need: setup.sh VENV_FOLDER. Debian packages are installed when run as
# root, and only checked otherwise. None of this is needed to build or run the product.
set -eu

venv=${1:?usage: setup.sh VENV_FOLDER}
packages="fonts-dejavu-core fonts-dejavu-extra fonts-liberation fonts-freefont-ttf fonts-noto-core
fonts-noto-mono fonts-roboto-unhinted fonts-lato fonts-urw-base35 fonts-linuxlibertine
fonts-open-sans fonts-crosextra-carlito fonts-crosextra-caladea fonts-cantarell fonts-hack
fonts-firacode wamerican python3-venv"

if [ "$(id -u)" = 0 ]; then
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages
else
  # shellcheck disable=SC2086
  dpkg -s $packages >/dev/null
fi
[ -d "$venv" ] || python3 -m venv "$venv"
"$venv/bin/pip" install torch==2.15.0 transformers==5.5.4 pillow==13.0.0 numpy==2.4.6 \
  safetensors==0.8.0
