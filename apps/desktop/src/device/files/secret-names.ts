/**
 * Files that contain credentials, by name or location. File tools refuse them and the sandbox masks them, anywhere in a
 * root. Spec: reference/devices.md "D15: closed files".
 */

/** In any directory. */
const secretNames: ReadonlySet<string> = new Set([
  ".aws",
  ".azure",
  ".boto",
  ".databrickscfg",
  ".git-credentials",
  ".gnupg",
  ".htpasswd",
  ".kube",
  ".my.cnf",
  ".netrc",
  ".npmrc",
  ".password-store",
  ".pgpass",
  ".pypirc",
  ".s3cfg",
  ".ssh",
  ".vault-token",
  "_netrc"
])
/** Only in a directory of this name. */
const secretPlaces: ReadonlyMap<string, string> = new Map([["config.json", ".docker"], ["credentials", ".cargo"], [
  "credentials.toml",
  ".cargo"
]])

/** Characters that macOS and Windows ignore in a name, so that `.e\u200cnv` would open `.env`. */
const ignored = process.platform === "linux"
  ? undefined
  : /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]|[. ]+$|::?\$?[\w:$]*$/gu

/** Normalized as the file system compares it, on systems that ignore case too. */
export const plainName = (name: string): string =>
  (ignored === undefined ? name : name.replaceAll(ignored, "")).toLowerCase()

/** Prefixes and suffixes that editors, package managers, and people add to the name of a copy. */
const copyBefore = /^(?:~\$|[#~]|\.#|\.(?=\.)|copy of )/u
const copyBehind = new RegExp(
  "(?:[~#]|[._ -](?:backup|bak|bk|bkp|copy|dpkg-(?:dist|new|old|tmp)|new|old|orig|original|part|prev|previous|rpm(?:new|orig|save)|save|saved|sw[a-p]|te?mp" +
    "|ucf-(?:dist|new|old)|bz2|gz|xz|zip|zst|~?\\d[\\d:_t-]*)| ?\\((?:copy|\\d+)\\))$",
  "u"
)

/** The original name of a backup copy. */
const withoutCopy = (name: string): string => {
  let plain = name
  for (let before = ""; before !== plain;) {
    before = plain
    plain = plain.replace(copyBefore, "").replace(copyBehind, "")
  }
  return plain === "" ? name : plain
}

const environmentFile = /^\.env(?:rc)?(?:[^a-z0-9].*)?$|\.env$/u
const privateKey =
  /^id_(?:dsa|ecdsa|ed25519|rsa|xmss)(?:[-_][^.]*)?$|^ssh_host_[^.]*_key$|\.(?:jks|kdbx?|key|keystore|p12|pem|pfx|ppk)$/u
/** Certificates and public keys, which programs in a root need. */
const publicPem =
  /^(?:.*[-_.])?(?:ca|cacert|cacerts|cert|certs|certificate|chain|fullchain|bundle|crt|public|pub|public[-_]?key|pub[-_]?key|dhparams?)[-_.]?\d*\.pem$/u

/** `parent`: the name of its directory. */
export const isSecretName = (name: string, parent = ""): boolean => {
  const full = plainName(name)
  const plain = withoutCopy(full)
  return [full, plain].some((one) =>
    secretNames.has(one) || environmentFile.test(one) || (privateKey.test(one) && !publicPem.test(one))
  ) ||
    (secretPlaces.has(plain) && secretPlaces.get(plain) === withoutCopy(plainName(parent)))
}

/**
 * In a home directory: credentials, browser profiles, keyrings, histories. Masked where a root contains the home
 * directory.
 */
export const homeSecrets: ReadonlyArray<string> = [
  ".Xauthority",
  ".ICEauthority",
  ".bash_history",
  ".boto",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".config/1Password",
  ".config/BraveSoftware",
  ".config/Bitwarden",
  ".config/Element",
  ".config/Signal",
  ".config/Slack",
  ".config/chromium",
  ".config/containers/auth.json",
  ".config/gcloud",
  ".config/gh",
  ".config/git/credentials",
  ".config/glab-cli",
  ".config/google-chrome",
  ".config/hub",
  ".config/keepassxc",
  ".config/microsoft-edge",
  ".config/op",
  ".config/rclone",
  ".config/sops",
  ".config/vivaldi",
  ".config/wireguard",
  ".databrickscfg",
  ".docker",
  ".gem/credentials",
  ".gradle/gradle.properties",
  ".kaggle",
  ".librewolf",
  ".local/share/TelegramDesktop",
  ".local/share/fish/fish_history",
  ".local/share/gnome-keyring",
  ".local/share/keyrings",
  ".local/share/kwalletd",
  ".local/share/password-store",
  ".m2/settings.xml",
  ".mozilla",
  ".mysql_history",
  ".node_repl_history",
  ".pki",
  ".psql_history",
  ".python_history",
  ".s3cfg",
  ".subversion/auth",
  ".terraform.d",
  ".thunderbird",
  ".var/app",
  ".yarnrc.yml",
  ".zsh_history",
  "snap"
]

/**
 * System files, whatever their permissions. As root, everything in `/etc` and `/var` that others cannot read is masked
 * too.
 */
export const systemSecrets: ReadonlyArray<string> = [
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/security/opasswd",
  "/etc/sudoers",
  "/etc/sudoers.d",
  "/etc/ssl/private",
  "/etc/krb5.keytab",
  "/etc/credstore",
  "/etc/credstore.encrypted",
  "/etc/NetworkManager/system-connections",
  "/etc/wireguard",
  "/etc/openvpn",
  "/etc/ipsec.secrets",
  "/etc/ppp",
  "/etc/letsencrypt",
  "/etc/kubernetes",
  "/etc/rancher",
  "/var/backups",
  "/var/mail",
  "/var/spool/mail",
  "/var/spool/cron",
  "/var/lib/docker",
  "/var/lib/containerd",
  "/var/lib/incus",
  "/var/lib/lxc",
  "/var/lib/lxd",
  "/var/lib/libvirt",
  "/var/snap/docker",
  "/var/snap/lxd",
  "/var/snap/microk8s",
  "/var/lib/systemd/credential.secret",
  "/var/lib/NetworkManager",
  "/var/lib/sss"
]
