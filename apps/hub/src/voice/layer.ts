/** Phone calls: their status hook. The adapter that places them is in `adapter.ts`. */
import { VoiceHooksHttp } from "./http.ts"
import { VoiceStatus } from "./status.ts"

export const services = VoiceStatus.layer

export const handlers = VoiceHooksHttp
