/**
 * Requirements of the tests on the machine. If one is missing, its tests fail in CI, and are skipped with the reason
 * elsewhere. Plain JavaScript, because test/run.mjs calls it before Node 24 is installed.
 */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { findChromium } from "./chromium.mjs"

/**
 * @typedef {{ readonly reason: string, readonly provide: string }} Missing The missing part, and the one command or
 * step that provides it.
 */

export const inCi = !["", "0", "false"].includes(process.env["CI"] ?? "")

/** @param {boolean} isThere */
const onLinux = (isThere) => process.platform !== "linux" || isThere
/** @param {string} program */
const inPath = (program) =>
  onLinux(["/usr/bin", "/usr/sbin", "/bin", "/sbin"].some((folder) => existsSync(join(folder, program))))
const libraryFolders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
/** @param {string} file */
const isLibrary = (file) => onLinux(libraryFolders.some((folder) => existsSync(join(folder, file))))

/** Any browser works; the headless shell needs half the CPU time, so root, who can install it, gets it. */
const hasBrowser = () => {
  const found = findChromium()
  return found !== undefined &&
    (process.getuid?.() !== 0 || found.endsWith("headless-shell") || "CHROMIUM_BIN" in process.env)
}

const pythonCheck = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))"
export const hasPython = () => spawnSync("python3", ["-c", pythonCheck], { stdio: "ignore" }).status === 0

/**
 * Debian packages by the tests that need them: the package, and whether it or an equivalent is installed.
 * @type {Readonly<Record<"commands" | "console" | "devices" | "desktop" | "hosting" | "python", ReadonlyMap<string, () => boolean>>>}
 */
const packages = {
  commands: new Map([["postgresql", () => onLinux(existsSync("/usr/lib/postgresql"))]]),
  console: new Map([
    ["chromium-headless-shell", hasBrowser],
    ["fonts-liberation", () => onLinux(existsSync("/usr/share/fonts/truetype/liberation"))]
  ]),
  devices: new Map([
    ["bubblewrap", () => inPath("bwrap")],
    ["git", () => inPath("git")],
    ["iproute2", () => inPath("ip")],
    ["make", () => inPath("make")],
    ["python3-minimal", () => inPath("python3")],
    ["strace", () => inPath("strace")],
    ["util-linux", () => inPath("prlimit") && inPath("setpriv")]
  ]),
  desktop: new Map([
    ["dbus", () => inPath("dbus-run-session")],
    ["gnome-keyring", () => inPath("gnome-keyring-daemon")],
    ["libsecret-1-0", () => isLibrary("libsecret-1.so.0")],
    ["libsecret-tools", () => inPath("secret-tool")],
    ["desktop-file-utils", () => inPath("desktop-file-validate")]
  ]),
  hosting: new Map([
    ["caddy", () => inPath("caddy")],
    ["nginx-light", () => inPath("nginx")],
    ["prometheus", () => inPath("promtool")],
    ["systemd", () => inPath("systemd-analyze")]
  ]),
  python: new Map([["python3", hasPython], ["python3-venv", hasPython]])
}

/** @typedef {keyof typeof packages} Group */

/** @param {ReadonlyArray<Group>} groups */
export const missingPackages = (
  groups
) => [
  ...new Set(groups.flatMap((group) => [...packages[group]].filter(([, isThere]) => !isThere()).map(([name]) => name)))
]

/** @param {ReadonlyArray<string>} names */
export const installCommand = (names) => `apt-get install -y ${names.join(" ")}`

/**
 * A program that a test runs.
 * @param {string} program
 * @param {string} debianPackage
 * @returns {Missing | undefined}
 */
export const missingProgram = (program, debianPackage) =>
  inPath(program) && process.platform === "linux"
    ? undefined
    : {
      reason: process.platform === "linux" ? `${program} is not installed` : `${program} exists on Linux only`,
      provide: installCommand([debianPackage])
    }

/** @returns {Missing | undefined} */
export const missingChromium = () =>
  findChromium() === undefined
    ? { reason: "Chromium is not installed", provide: installCommand(["chromium-headless-shell"]) }
    : undefined

/** @returns {Missing | undefined} */
export const missingPython = () =>
  hasPython()
    ? undefined
    : {
      reason: "Python 3.11 or later with venv is not installed",
      provide: installCommand(["python3", "python3-venv"])
    }

/** Names of packages in other distributions or releases. */
const otherName = { "chromium-headless-shell": "chromium" }

/**
 * Installs the missing packages as root on Debian; otherwise prints the one command that does.
 * @param {ReadonlyArray<Group>} groups
 */
export const installPackages = (groups) => {
  const missing = missingPackages(groups)
  if (missing.length === 0) return
  const effect = inCi ? "the tests that need them fail" : "the tests that need them are skipped"
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    return console.error(`Missing packages, so ${effect}: ${installCommand(missing)}`)
  }
  console.error(`Installing Debian packages: ${missing.join(" ")}…`)
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  /** @param {ReadonlyArray<string>} args */
  const apt = (...args) =>
    spawnSync("apt-get", ["-qq", ...args], { stdio: ["ignore", "ignore", "inherit"], env }).status === 0
  /** @param {ReadonlyArray<string>} names */
  const install = (names) => apt("install", "-y", "--no-install-recommends", ...names)
  const renamed = missing.map((name) => name === "chromium-headless-shell" ? otherName[name] : name)
  if (apt("update") && (install(missing) || install(renamed))) return
  console.error(`apt-get failed, so ${effect}: ${installCommand(missing)}`)
}
