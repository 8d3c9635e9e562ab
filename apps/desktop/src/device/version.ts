/** Of the agent, as it tells the hub. */
import manifest from "../../package.json" with { type: "json" }

export const appVersion: string = manifest.version
