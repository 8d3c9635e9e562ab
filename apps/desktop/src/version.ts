/** The agent's version, as reported to the hub. */
import manifest from "../package.json" with { type: "json" }

export const appVersion: string = manifest.version
