import "./tokens/index.css"
import { start } from "./start.tsx"

start(document.getElementById("root")!)
