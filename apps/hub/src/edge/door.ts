/** The socket that the hub listens on, before the framework that answers most of what comes. */
import { Context } from "effect"
import type { Server } from "node:http"

export class Door extends Context.Service<Door, Server>()("@countersign/hub/edge/Door") {}
