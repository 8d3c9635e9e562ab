/** A thread that kills its process when heap and buffers together grow too large. */
import { kill, memoryUsage, pid } from "node:process"

const residentBytesMax = 1024 * 1024 * 1024
const intervalMillis = 50

setInterval(() => {
  if (memoryUsage.rss() > residentBytesMax) kill(pid, "SIGKILL")
}, intervalMillis)
