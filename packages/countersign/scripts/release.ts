/**
 * Writes the files of a release into a folder: the npm packages, the sources of the Python package, the changelog, the
 * lists of components (CycloneDX), and the checksums of all. It publishes nothing.
 * `npm run release -- FOLDER`; the default is `dist/release`. The changelog begins at the last tag `v…` before HEAD.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { buildPackage as buildClient } from "../../client/scripts/build.ts"
import { buildPackage as buildHub } from "./build.ts"
import { changelogOf, type Commit } from "./changelog.ts"

const root = join(import.meta.dirname, "..", "..", "..")

const run = (program: string, args: ReadonlyArray<string>, cwd = root): string => {
  const shell = process.platform === "win32"
  const done = spawnSync(program, args, { cwd, encoding: "utf8", maxBuffer: 256 * 2 ** 20, shell })
  if (done.status !== 0) throw new Error(`${program} ${args.join(" ")}: ${done.error?.message ?? done.stderr.trim()}`)
  return done.stdout
}

const lastTag = (): string | undefined => {
  const tags = run("git", ["tag", "--list", "v*", "--merged", "HEAD~1", "--sort=-v:refname"]).split("\n")
  return tags.find((tag) => tag !== "")
}

const commitsSince = (tag: string | undefined): ReadonlyArray<Commit> =>
  run("git", ["log", "--reverse", "--format=%h%x09%s", ...tag === undefined ? [] : [`${tag}..HEAD`]])
    .split("\n").filter((line) => line !== "")
    .map((line) => {
      const [hash = "", subject = ""] = line.split("\t")
      return { hash, subject }
    })

interface Locked {
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly link?: boolean
}

/**
 * Of the repository's lock file, because the scripts and the console contain packages that the manifest does not list.
 * Without the development packages: npm would leave out those that they share with the hub. Nothing is downloaded.
 */
const components = (work: string): string => {
  const [manifest, lock] = ["package.json", "package-lock.json"].map((file) =>
    JSON.parse(readFileSync(join(root, file), "utf8"))
  )
  const { dependencies, optionalDependencies, version } = manifest
  const own = { name: "countersign", version, dependencies, optionalDependencies }
  const isUsed = ([path, { dev, devOptional, link }]: [string, Locked]) =>
    path.startsWith("node_modules/") && dev !== true && devOptional !== true && link !== true
  const packages = Object.fromEntries([["", own], ...Object.entries<Locked>(lock.packages).filter(isUsed)])
  mkdirSync(work)
  writeFileSync(join(work, "package.json"), JSON.stringify(own))
  writeFileSync(join(work, "package-lock.json"), JSON.stringify({ ...lock, packages }))
  return run("npm", ["sbom", "--sbom-format=cyclonedx", "--sbom-type=application", "--package-lock-only"], work)
}

const pack = (folder: string, output: string): void => {
  run("npm", ["pack", "--silent", "--pack-destination", output], folder)
}

export const release = async (output: string): Promise<ReadonlyArray<string>> => {
  const { version } = JSON.parse(readFileSync(join(root, "packages", "countersign", "package.json"), "utf8")) as {
    readonly version: string
  }
  rmSync(output, { recursive: true, force: true })
  mkdirSync(output, { recursive: true })
  const work = mkdtempSync(join(tmpdir(), "countersign-release-"))
  try {
    await buildHub(join(work, "hub"))
    await buildClient(join(work, "client"))
    for (const name of ["hub", "client"]) pack(join(work, name), output)
    writeFileSync(join(output, `countersign-${version}.cdx.json`), components(join(work, "components")))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  const files = run("git", ["ls-files", "packages/client-python"]).split("\n").filter((file) => file !== "")
  run("tar", ["-czf", join(output, `countersign_client-${version}-source.tar.gz`), ...files])
  writeFileSync(join(output, "CHANGELOG.md"), changelogOf(version, commitsSince(lastTag())))
  const names = readdirSync(output).sort()
  const sums = names.map((name) =>
    `${createHash("sha256").update(readFileSync(join(output, name))).digest("hex")}  ${name}\n`
  )
  writeFileSync(join(output, "SHA256SUMS"), sums.join(""))
  return [...names, "SHA256SUMS"]
}

/** The part that only a CI job with an OpenID Connect identity can do: it attests where the files come from. */
const publishing = `Publish from a CI job with an OpenID Connect identity, which attests the origin of the files:
  npm publish --provenance --access public <file>.tgz
  python -m build packages/client-python        (in the unpacked sources)
  python -m twine check --strict dist/*
  python -m pypi_attestations sign dist/*
  python -m twine upload --attestations dist/*
CONTRIBUTING.md "Release" has the details.
`

if (import.meta.main) {
  const output = resolve(process.argv[2] ?? join(root, "dist", "release"))
  if (run("git", ["status", "--porcelain"]) !== "") throw new Error("Commit or remove the changes of this clone first.")
  for (const name of await release(output)) process.stdout.write(`${join(output, name)}\n`)
  process.stdout.write(`\n${publishing}`)
}
