/**
 * The environment of a program: a short list of the agent's variables, and those that the command may add. Spec:
 * reference/devices.md "D13: environment".
 */
import { homedir, tmpdir, userInfo } from "node:os"
import { denied } from "../results/refusal.ts"

/** The only directories in which programs given by bare name are looked up. */
export const searchPath: ReadonlyArray<string> = process.platform === "win32"
  ? [`${process.env["SystemRoot"] ?? "C:\\Windows"}\\System32`]
  : [
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
    ...(process.platform === "darwin" ? ["/opt/homebrew/bin"] : [])
  ]

/** Marks the processes of a command, so that they are found in any session or group. */
export const markName = "COUNTERSIGN_COMMAND_ID"

const passed = [
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  ...(process.platform === "win32" ? ["SystemRoot", "ComSpec", "TEMP", "TMP"] : [])
]

/** Variables that would let a caller run code in any allowed program, or that belong to the agent. */
const closedNames = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "IFS",
  "ENV",
  "BASH_ENV",
  "SHELLOPTS",
  "BASHOPTS",
  "PS4",
  "CDPATH",
  "GLOBIGNORE",
  "PROMPT_COMMAND",
  "NODE_OPTIONS",
  "NODE_PATH",
  "NODE_EXTRA_CA_CERTS",
  "PYTHONSTARTUP",
  "PYTHONPATH",
  "PYTHONHOME",
  "PERL5OPT",
  "PERL5LIB",
  "PERLLIB",
  "RUBYOPT",
  "RUBYLIB",
  "JAVA_TOOL_OPTIONS",
  "_JAVA_OPTIONS",
  "JDK_JAVA_OPTIONS",
  "CLASSPATH",
  "GCONV_PATH",
  "LOCPATH",
  "NLSPATH",
  "HOSTALIASES",
  "RESOLV_HOST_CONF",
  "TERMINFO",
  "TERMCAP",
  "EDITOR",
  "VISUAL",
  "PAGER",
  "MANPAGER",
  "BROWSER",
  "LESSOPEN",
  "LESSCLOSE",
  "SSH_ASKPASS",
  "SUDO_ASKPASS",
  "SSH_AUTH_SOCK",
  "DBUS_SESSION_BUS_ADDRESS",
  "XDG_RUNTIME_DIR",
  "NOTIFY_SOCKET",
  "CREDENTIALS_DIRECTORY",
  "MAKEFLAGS",
  "TMPDIR",
  "SSH_AGENT_PID",
  "GPG_AGENT_INFO",
  "GNOME_KEYRING_CONTROL",
  "KRB5CCNAME",
  "XAUTHORITY",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "DOCKER_HOST",
  "PULSE_SERVER",
  // Search paths for configuration, plugins, or libraries, and options that name programs.
  "ANT_ARGS",
  "ANT_OPTS",
  "AWS_CONFIG_FILE",
  "AWS_SHARED_CREDENTIALS_FILE",
  "BUN_OPTIONS",
  "COMPILER_PATH",
  "CURL_HOME",
  "CVS_RSH",
  "DENO_DIR",
  "DOCKER_CONFIG",
  "EMACSLOADPATH",
  "EXINIT",
  "FPATH",
  "GCC_EXEC_PREFIX",
  "GDK_PIXBUF_MODULE_FILE",
  "GEM_HOME",
  "GEM_PATH",
  "GIO_EXTRA_MODULES",
  "GNUPGHOME",
  "GOENV",
  "GOFLAGS",
  "GOROOT",
  "GOTOOLCHAIN",
  "GRADLE_OPTS",
  "GRADLE_USER_HOME",
  "GREP_OPTIONS",
  "GTK_MODULES",
  "GTK_PATH",
  "HELM_PLUGINS",
  "HGRCPATH",
  "INPUTRC",
  "JAVA_OPTS",
  "KUBECONFIG",
  "KUBECTL_EXTERNAL_DIFF",
  "LESS",
  "LESSKEY",
  "LUA_CPATH",
  "LUA_INIT",
  "LUA_PATH",
  "MAGICK_CONFIGURE_PATH",
  "MAKEFILES",
  "MANOPT",
  "MAVEN_ARGS",
  "MAVEN_OPTS",
  "MYSQL_HOME",
  "OPENSSL_CONF",
  "OPENSSL_CONF_INCLUDE",
  "OPENSSL_ENGINES",
  "OPENSSL_MODULES",
  "PERL5DB",
  "PGPASSFILE",
  "PGSERVICEFILE",
  "PGSYSCONFDIR",
  "PHPRC",
  "PHP_INI_SCAN_DIR",
  "PSQLRC",
  "PYTEST_ADDOPTS",
  "PYTEST_PLUGINS",
  "PYTHONBREAKPOINT",
  "PYTHONEXECUTABLE",
  "PYTHONINSPECT",
  "PYTHONPLATLIBDIR",
  "PYTHONPYCACHEPREFIX",
  "PYTHONUSERBASE",
  "PYTHONWARNINGS",
  "QT_PLUGIN_PATH",
  "RIPGREP_CONFIG_PATH",
  "RSYNC_RSH",
  "RUBYSHELL",
  "RUSTC",
  "RUSTC_WRAPPER",
  "RUSTC_WORKSPACE_WRAPPER",
  "RUSTDOC",
  "RUSTDOCFLAGS",
  "RUSTFLAGS",
  "R_ENVIRON",
  "R_ENVIRON_USER",
  "R_PROFILE",
  "R_PROFILE_USER",
  "SBT_OPTS",
  "SCREENRC",
  "SVN_SSH",
  "SYSTEMD_EDITOR",
  "SYSTEMD_PAGER",
  "TAR_OPTIONS",
  "TF_CLI_CONFIG_FILE",
  "VIMINIT",
  "WGETRC",
  "ZDOTDIR"
])
const closedPrefixes = [
  "LD_",
  "DBUS_",
  "DYLD_",
  "GIT_",
  "COUNTERSIGN_",
  "SVC_",
  "HUB_",
  "BASH_FUNC_",
  "NPM_CONFIG_",
  "ANSIBLE_",
  "BUNDLE_",
  "CARGO_",
  "CORECLR_",
  "COR_",
  "DOTNET_",
  "PIP_",
  "UV_",
  "XDG_",
  "YARN_"
]

const isClosedVariable = (name: string): boolean => {
  const upper = name.toUpperCase()
  return closedNames.has(upper) || closedPrefixes.some((prefix) => upper.startsWith(prefix))
}

export interface EnvironmentAsked {
  readonly command: string
  readonly directory: string
  /** From the rules: names of the agent's variables that commands may read. */
  readonly allowed: ReadonlyArray<string>
  readonly wanted: Readonly<Record<string, string>>
}

/** Denied `environment_refused` for a variable that a command may not set. */
export const environmentOf = ({ allowed, command, directory, wanted }: EnvironmentAsked): Record<string, string> => {
  for (const name of Object.keys(wanted)) {
    if (isClosedVariable(name)) throw denied("environment_refused", `A command does not set ${name}`)
  }
  const own = Object.fromEntries([...passed, ...allowed.filter((name) => !isClosedVariable(name))].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }))
  return {
    ...own,
    PATH: searchPath.join(process.platform === "win32" ? ";" : ":"),
    HOME: homedir(),
    USER: userName(),
    LOGNAME: userName(),
    TMPDIR: tmpdir(),
    TERM: "dumb",
    ...wanted,
    PWD: directory,
    [markName]: command
  }
}

const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    // The user has no passwd entry, as in many containers.
    return String(process.getuid?.() ?? "user")
  }
}

const secretName = /key|token|secret|passw|credential|auth|dsn|database_url/i

/** Values that commands do not receive; their output is masked for them, too. */
export const withheldValues = (allowed: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && value.length >= 8 && secretName.test(name) && !allowed.includes(name) ? [value] : []
  )
