/** The reverse proxies of `resources/deploy` in front of hubs, with a test's ports and certificate. */
import { Effect, type Scope } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as tls from "node:tls"
import { makeAuthority } from "./authority.ts"
import { until } from "./health.ts"
import { spawnProgram } from "./hub-program.ts"

const example = (name: string) =>
  readFileSync(join(import.meta.dirname, "..", "..", "resources", "deploy", name), "utf8")

/** Replaces text of an example, which must contain it. */
const changed = (text: string, changes: ReadonlyArray<readonly [from: string | RegExp, to: string]>): string =>
  changes.reduce((rest, [from, to]) => {
    const next = rest.replaceAll(from instanceof RegExp ? new RegExp(from, "g") : from, () => to)
    if (next === rest) throw new Error(`the example has no ${String(from)}`)
    return next
  }, text)

export interface FrontOptions {
  /** An empty folder for the proxy's files. */
  readonly folder: string
  /** Where it listens, with https. */
  readonly port: number
  /** Addresses of the hubs, without a path. */
  readonly hubs: ReadonlyArray<string>
}

/** Makes a certificate for 127.0.0.1 that this process trusts until the scope closes: `cert.pem` and `key.pem`. */
export const trustedCertificate = (folder: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(
    Effect.sync(() => {
      const authority = makeAuthority("front test")
      writeFileSync(join(folder, "cert.pem"), authority.server.cert)
      writeFileSync(join(folder, "key.pem"), authority.server.key)
      const before = tls.getCACertificates("default")
      tls.setDefaultCACertificates([...before, authority.pem])
      return before
    }),
    (before) => Effect.sync(() => tls.setDefaultCACertificates(before))
  ))

const answers = (name: string, port: number) =>
  until(
    `${name} answers`,
    Effect.promise(() => fetch(`https://127.0.0.1:${port}/ready`).then(({ status }) => status === 200, () => false))
  )

/** nginx with `nginx.conf` and the certificate in its folder. */
export const startNginx = Effect.fnUntraced(function*(
  { folder, hubs, plainPort, port }: FrontOptions & { readonly plainPort: number }
) {
  const config = changed(example("nginx.conf"), [
    ["listen 80;", `listen 127.0.0.1:${plainPort};`],
    ["listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`],
    ["server_name hub.example.com;", "server_name localhost 127.0.0.1;"],
    [/ssl_certificate \S+;/, `ssl_certificate ${folder}/cert.pem;`],
    [/ssl_certificate_key \S+;/, `ssl_certificate_key ${folder}/key.pem;`],
    [
      / {2}server 127.0.0.1:4780.*\n {2}# server 127.0.0.1:4781.*\n/,
      hubs.map((url) => `  server ${new URL(url).host} max_fails=0;\n`).join("")
    ]
  ])
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) =>
    `${name}_temp_path ${folder}/${name};`
  )
  const file = join(folder, "nginx.conf")
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;\nevents {}\n` +
      `http { access_log off; ${paths.join(" ")}\n${config}\n}\n`
  )
  yield* spawnProgram(["nginx", "-c", file, "-e", join(folder, "error.log")])
  yield* answers("nginx", port)
})

/** Caddy with `Caddyfile` and the certificate in its folder. */
export const startCaddy = Effect.fnUntraced(function*({ folder, hubs, port }: FrontOptions) {
  const config = changed(example("Caddyfile"), [
    ["hub.example.com {", `https://127.0.0.1:${port} {\n\ttls ${folder}/cert.pem ${folder}/key.pem`],
    ["reverse_proxy 127.0.0.1:4780 {", `reverse_proxy ${hubs.map((url) => new URL(url).host).join(" ")} {`]
  ])
  const file = join(folder, "Caddyfile")
  writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${config}`)
  yield* spawnProgram(["caddy", "run", "--config", file, "--adapter", "caddyfile"], {
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder
  })
  yield* answers("Caddy", port)
})
