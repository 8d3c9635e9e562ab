/** The result of a command, as the journal and the app have it. */
import { Done } from "@countersign/domain/device-protocol"
import { Struct } from "effect"

export const Ending = Done.mapFields(Struct.omit(["lease", "artifacts"]))
export type Ending = typeof Ending.Type
