/** The socket that the hub listens on; used before the framework, which answers most requests. */
import { Context } from "effect"
import type { Server } from "node:http"

export class Door extends Context.Service<Door, Server>()("@countersign/hub/edge/Door") {}
