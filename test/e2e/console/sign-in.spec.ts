/**
 * Sign-in beyond the password, with a real OpenID provider and Chromium's virtual authenticator (CDP, domain WebAuthn):
 * passkeys, authenticator apps, recovery codes, and the sign-in of a program.
 */
import { stepSeconds } from "@countersign/hub/factors/totp"
import type { CDPSession, Page } from "@playwright/test"
import { Effect, Exit, Scope } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Secret, TOTP } from "otpauth"
import { expectNoBreaches, expectNothingSideways } from "../../support/console-looks.ts"
import { expect, test } from "../../support/console.ts"
import {
  clientId,
  clientSecret,
  type IdentityProvider,
  startIdentityProvider
} from "../../support/identity-provider.ts"
import { closedPort } from "../../support/upstream.ts"

test.describe.configure({ timeout: 300_000 })
test.use({ isContextNew: true })

/** A code that the hub accepts: of the present step, or of the next one if that was used. */
const codeOf = (secret: string, stepsAhead = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: stepSeconds, algorithm: "SHA1" }).generate({
    timestamp: Date.now() + stepsAhead * stepSeconds * 1_000
  })

/** No breach and nothing cut off, in both themes and in a narrow window. */
const look = async (page: Page): Promise<void> => {
  await expectNoBreaches(page)
  await expectNothingSideways(page)
  const size = page.viewportSize()
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNothingSideways(page)
  if (size !== null) await page.setViewportSize(size)
}

const authenticator = async (page: Page): Promise<CDPSession> => {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send("WebAuthn.enable")
  await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true
    }
  })
  return cdp
}

const provider = (idp: IdentityProvider, account: string, groups: ReadonlyArray<string>) => {
  idp.account = account
  idp.claims.set(account, { email: `${account}@idp.test`, email_verified: true, name: "Grace Hopper", groups })
}

const signOut = async (page: Page, url: string) => {
  await page.context().clearCookies({ name: "svc_session" })
  await page.goto(`${url}/sign-in`)
}

test("an administrator signs in through OpenID Connect, with a passkey as the second factor", async ({ newHub, page }) => {
  const scope = await Effect.runPromise(Scope.make())
  const port = await Effect.runPromise(closedPort)
  const url = `http://localhost:${port}`
  const idp = await Effect.runPromise(
    Scope.provide(startIdentityProvider(`${url}/api/v1/auth/oidc/callback`), scope)
  )
  const hub = await newHub({
    HUB_PORT: String(port),
    HUB_PUBLIC_URL: url,
    HUB_OIDC_ISSUER: idp.issuer,
    HUB_OIDC_CLIENT_ID: clientId,
    HUB_OIDC_CLIENT_SECRET: clientSecret,
    HUB_OIDC_SCOPES: "openid email profile groups",
    HUB_OIDC_ROLES: JSON.stringify({
      claim: "groups",
      rules: [{ value: "platform", workspace: "Default", role: "admin" }]
    })
  })
  const { org } = await hub.setUp()
  await authenticator(page)
  const dialog = page.getByRole("dialog")
  const throughProvider = () => page.getByRole("button", { name: "Sign in with single sign-on" }).click()

  await page.goto(`${url}/sign-in`)
  await expect(page.getByRole("button", { name: "Sign in with single sign-on" })).toBeVisible()
  await look(page)
  provider(idp, "stranger", [])
  await throughProvider()
  await expect(page.getByRole("alert")).toContainText("You have no access to a workspace")
  await look(page)
  await page.context().clearCookies()
  provider(idp, "grace", ["platform"])
  await throughProvider()
  await page.waitForURL(`${url}/w/${org}/**`)

  // A person without a password confirms the session at the provider.
  await page.goto(`${url}/w/${org}/settings/security`)
  await expect(page.getByText("You have no second factor.")).toBeVisible()
  await look(page)
  await page.getByRole("button", { name: "Add passkey" }).click()
  await look(page)
  await dialog.getByRole("button", { name: "Create passkey" }).click()
  await expect(dialog).toContainText("Enter a name.")
  await dialog.getByLabel("Name").fill("Laptop")
  await dialog.getByRole("button", { name: "Create passkey" }).click()
  const open = page.getByRole("button", { name: "Open the identity provider" })
  await expect(open).toBeVisible()
  await look(page)
  await open.click()
  await expect(page.getByRole("heading", { name: "Your recovery codes, shown once" })).toBeVisible()
  await look(page)
  const recovery = (await dialog.locator("code, pre").first().innerText()).trim().split(/\s+/u)
  expect(recovery.length).toBe(10)
  await page.getByRole("button", { name: "I have saved them" }).click()
  await expect(page.getByText("Laptop")).toBeVisible()
  await look(page)

  // The provider alone does not sign in any more.
  await signOut(page, url)
  await throughProvider()
  await expect(page.getByRole("heading", { name: "Second factor" })).toBeVisible()
  await look(page)
  expect(await page.context().cookies()).not.toContainEqual(expect.objectContaining({ name: "svc_session" }))
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.waitForURL(`${url}/w/${org}/**`)

  // Step-up by passkey, for an authenticator app.
  await page.goto(`${url}/w/${org}/settings/security`)
  await page.getByRole("button", { name: "Add authenticator app" }).click()
  await expect(dialog.getByRole("img", { name: "QR code with the secret" })).toBeVisible()
  await look(page)
  const secret = (await dialog.locator("code, pre").first().innerText()).trim()
  await dialog.getByLabel("Code that the app shows").fill("000000")
  await dialog.getByRole("button", { name: "Add app" }).click()
  const confirm = page.getByRole("button", { name: "Confirm" })
  await expect(confirm).toBeVisible()
  await look(page)
  await confirm.click()
  await expect(page.getByRole("dialog", { name: "Confirm that it's you" })).toHaveCount(0)
  await expect(dialog).toContainText("This isn't the app's current code.")
  await look(page)
  await dialog.getByLabel("Code that the app shows").fill(codeOf(secret, -1))
  await dialog.getByRole("button", { name: "Add app" }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByText("Authenticator app", { exact: true }).first()).toBeVisible()
  await look(page)

  // Sign-in by the app: a wrong code, then the right one.
  await signOut(page, url)
  await throughProvider()
  await page.getByRole("button", { name: "Use an authenticator app" }).click()
  await page.getByLabel("Code from your authenticator app").fill("000000")
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await expect(page.getByText("The code or passkey is wrong, or was used before.")).toBeVisible()
  await look(page)
  await page.getByLabel("Code from your authenticator app").fill(codeOf(secret))
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.waitForURL(`${url}/w/${org}/**`)
  await signOut(page, url)
  await throughProvider()
  await page.getByRole("button", { name: "Use a recovery code" }).click()
  await look(page)
  await page.getByLabel("Recovery code").fill(recovery[0]!)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.waitForURL(`${url}/w/${org}/**`)
  await page.goto(`${url}/w/${org}/settings/security`)
  await expect(page.getByText("9 codes left")).toBeVisible()

  // A page of another origin on the same host gets the passkey to sign the hub's challenge, and the hub refuses it.
  const cookie = (await page.context().cookies(url)).find(({ name }) => name === "svc_session")!
  const session = { cookie: `svc_session=${cookie.value}`, headers: { host: new URL(url).host } }
  const options = (await hub.api("POST", "/auth/factors/passkey/options", {
    ...session,
    body: { purpose: "step_up" }
  })).body
  const elsewhere = createServer((_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Elsewhere</title>")
  )
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve))
  await page.goto(`http://localhost:${(elsewhere.address() as AddressInfo).port}/`)
  const answer = await page.evaluate(async (publicKey) => {
    const credential = await navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey)
    })
    return (credential as PublicKeyCredential).toJSON()
  }, options)
  elsewhere.close()
  const refused = await hub.api("POST", "/auth/step-up", { ...session, body: { passkey: answer } })
  expect([refused.status, refused.body.error.code]).toEqual([403, "forbidden"])

  // Another program signs in by a code.
  const started = (await hub.api("POST", "/auth/device", {
    body: { client_name: "Countersign CLI on laptop", scopes: ["agents:read", "requests:read"] }
  })).body
  await page.goto(started.verification_uri_complete)
  await expect(page.getByText(started.user_code)).toBeVisible()
  await look(page)
  await page.getByRole("button", { name: "Approve" }).click()
  await expect(page.getByRole("heading", { level: 1 })).not.toContainText("Countersign CLI")
  await look(page)
  const token = await hub.api("POST", "/auth/device/token", { body: { device_code: started.device_code } })
  expect([token.status, token.body.scope]).toEqual([200, "agents:read requests:read"])
  await page.goto(`${url}/device`)
  await look(page)

  // Sessions show how each began; factors are renamed and removed.
  await page.goto(`${url}/w/${org}/settings/account`)
  await expect(page.getByText("by single sign-on, with a recovery code")).toBeVisible()
  await look(page)
  await page.goto(`${url}/w/${org}/settings/security`)
  await page.getByRole("button", { name: "Rename Laptop" }).click()
  await dialog.getByLabel("Name").fill("Work laptop")
  await dialog.getByRole("button", { name: "Save" }).click()
  await page.getByRole("button", { name: "Remove Work laptop" }).click()
  await look(page)
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click()
  await confirm.click()
  await expect(page.getByText("Work laptop is removed.")).toBeVisible()
  await expect(page.getByRole("button", { name: "Remove Authenticator app" })).toBeVisible()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})
