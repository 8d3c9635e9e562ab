/** Headers that limit browsers: on every answer, and on pages to the content of this hub. */

/** The header's value from directives. */
export const contentSecurityPolicy = (directives: Readonly<Record<string, string>>): string =>
  Object.entries(directives).map(([name, value]) => `${name} ${value}`).join("; ")

const policy = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "font-src": "'self'",
  "img-src": "'self' data:",
  "media-src": "'self'",
  "connect-src": "'self'",
  "manifest-src": "'self'",
  "worker-src": "'self'",
  // The preview of mails.
  "frame-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'self'",
  "frame-ancestors": "'none'",
  // Assigned text never becomes markup or script, even if a library tries it. The one policy names the service worker.
  "require-trusted-types-for": "'script'",
  "trusted-types": "countersign-push"
}

const powers = [
  "accelerometer",
  "browsing-topics",
  "camera",
  "display-capture",
  "geolocation",
  "gyroscope",
  "hid",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "screen-wake-lock",
  "serial",
  "usb",
  "xr-spatial-tracking"
]

const secureSeconds = 365 * 86_400

/** On every answer. Browsers then use https only for a hub whose public address is https. */
export const securityHeaders = (publicUrl: URL): Readonly<Record<string, string>> => ({
  "x-content-type-options": "nosniff",
  ...publicUrl.protocol === "https:" ? { "strict-transport-security": `max-age=${secureSeconds}` } : {}
})

/** On every file. */
export const fileHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin"
}

/**
 * On pages, in addition to `fileHeaders`. Not `no-referrer`: with it a browser would send forms with the origin `null`.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  ...fileHeaders,
  "content-security-policy": contentSecurityPolicy(policy),
  "permissions-policy": powers.map((power) => `${power}=()`).join(", "),
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY"
}

/**
 * The headers of pages that also send bytes to another origin and show its images, audio, and video: the public address
 * of a bucket.
 */
export const pageHeadersWith = (origin: string): Readonly<Record<string, string>> => ({
  ...pageHeaders,
  "content-security-policy": contentSecurityPolicy({
    ...policy,
    "img-src": `${policy["img-src"]} ${origin}`,
    "media-src": `${policy["media-src"]} ${origin}`,
    "connect-src": `${policy["connect-src"]} ${origin}`
  })
})
