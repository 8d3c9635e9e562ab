/** Connected computers: pairing, sessions, commands, consent, output. */
import { Layer } from "effect"
import { DeviceClosing } from "./closing.ts"
import { DeviceCommandsRepository } from "./commands-repository.ts"
import { DeviceCommands } from "./commands.ts"
import { ConsentsRepository } from "./consents-repository.ts"
import { DeviceConsents } from "./consents.ts"
import { Delivery } from "./delivery.ts"
import { DeviceCommandsHttp, DevicePairingHttp, DeviceSessionsHttp, DevicesHttp } from "./http.ts"
import { OutputRepository } from "./output-repository.ts"
import { DeviceOutput } from "./output.ts"
import { DevicePairing } from "./pairing.ts"
import { PairingsRepository } from "./pairings-repository.ts"
import { DevicePresence } from "./presence.ts"
import { DevicesRepository } from "./repository.ts"
import { Devices } from "./service.ts"
import { DeviceSessions } from "./sessions.ts"
import { DeviceSettlement } from "./settlement.ts"
import { DeviceSockets } from "./sockets.ts"
import { DeviceSweeper } from "./sweeper.ts"
import { DeviceWork } from "./work.ts"

export const repositories = Layer.mergeAll(
  ConsentsRepository.layer,
  DeviceCommandsRepository.layer,
  DevicesRepository.layer,
  OutputRepository.layer,
  PairingsRepository.layer
)

/** The work of devices and its outcomes; dispatch sends it. */
export const work = DeviceWork.layer.pipe(
  Layer.provideMerge(DeviceCommands.layer),
  Layer.provideMerge(DeviceClosing.layer),
  Layer.provideMerge(DeviceConsents.layer)
)

export const services = Layer.mergeAll(
  DevicePairing.layer,
  DeviceSessions.layer,
  DeviceSettlement.layer,
  DeviceSockets.layer,
  DeviceSweeper.layer
).pipe(
  Layer.provideMerge(DeviceOutput.layer),
  Layer.provideMerge(Layer.mergeAll(Delivery.layer, DevicePresence.layer, Devices.layer))
)

export const handlers = Layer.mergeAll(DeviceCommandsHttp, DevicePairingHttp, DeviceSessionsHttp, DevicesHttp)
