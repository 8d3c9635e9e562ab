/** Sign-in of programs on other devices. */
import { DeviceSignInHttp } from "./http.ts"
import { DeviceSignInsRepository } from "./repository.ts"
import { DeviceSignIns } from "./service.ts"

export const repositories = DeviceSignInsRepository.layer

export const services = DeviceSignIns.layer

export const handlers = DeviceSignInHttp
