/**
 * Comforts of the documentation: copy buttons, results while typing, and the mark of the section that is read. Every
 * page works without it.
 */

const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}

// Copy buttons.
if (navigator.clipboard !== undefined) {
  for (const block of document.querySelectorAll(".code")) {
    const button = make("button", { type: "button", className: "copy", textContent: "Copy" })
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(block.querySelector("code").textContent)
        button.textContent = "Copied"
      } catch {
        button.textContent = "Not copied"
      }
      setTimeout(() => button.textContent = "Copy", 1_500)
    })
    block.append(button)
  }
}

// The section that is read, in the list of sections.
const entries = new Map(
  [...document.querySelectorAll(".contents a")].map((link) => [decodeURIComponent(link.hash.slice(1)), link])
)
const mark = () => {
  const headings = [...entries.keys()].map((id) => document.getElementById(id)).filter((heading) => heading !== null)
  const last = headings.findLast((heading) => heading.getBoundingClientRect().top < 140)
  for (const [id, link] of entries) {
    if (id === last?.id) link.setAttribute("aria-current", "true")
    else link.removeAttribute("aria-current")
  }
}
if (entries.size > 0) {
  addEventListener("scroll", () => requestAnimationFrame(mark), { passive: true })
  mark()
}

// The current page is visible in a long navigation.
const current = document.querySelector(".navigation [aria-current=page]")
const navigation = document.querySelector(".navigation")
if (current !== null && current.offsetTop > navigation.clientHeight - 120) {
  navigation.scrollTop = current.offsetTop - navigation.clientHeight / 2
}

// Results while typing.
const form = document.querySelector(".search")
const input = document.querySelector("#q")
const list = make("ul", { id: "found", className: "found", role: "listbox", hidden: true })
list.setAttribute("aria-label", "Results")
const status = make("p", { className: "hidden", role: "status" })
form.append(list, status)
for (
  const [name, value] of Object.entries({
    role: "combobox",
    "aria-expanded": "false",
    "aria-controls": "found",
    "aria-autocomplete": "list"
  })
) input.setAttribute(name, value)

let chosen = -1
const optionsIn = () => [...list.querySelectorAll("[role=option]")]
const choose = (at) => {
  const options = optionsIn()
  if (options.length === 0) return
  chosen = (at + options.length) % options.length
  for (const [index, option] of options.entries()) option.setAttribute("aria-selected", String(index === chosen))
  options[chosen].scrollIntoView({ block: "nearest" })
  input.setAttribute("aria-activedescendant", options[chosen].id)
}
const close = () => {
  list.hidden = true
  chosen = -1
  input.setAttribute("aria-expanded", "false")
  input.removeAttribute("aria-activedescendant")
}
const show = (hits) => {
  close()
  list.replaceChildren(...hits.map(({ excerpt, href, title }, at) => {
    const option = make("li", { id: `found-${at}`, role: "option" }, make("strong", { textContent: title }), make("span", { textContent: excerpt }))
    option.dataset.href = href
    option.setAttribute("aria-selected", "false")
    return option
  }))
  if (hits.length === 0) list.append(make("li", { className: "none", role: "option", textContent: "No results" }))
  status.textContent = hits.length === 1 ? "1 result" : `${hits.length} results`
  list.hidden = false
  input.setAttribute("aria-expanded", "true")
}

let timer
let asked = 0
input.addEventListener("input", () => {
  clearTimeout(timer)
  const query = input.value.trim()
  asked += 1
  if (query === "") return close()
  const own = asked
  timer = setTimeout(async () => {
    try {
      const response = await fetch(`/docs/search?q=${encodeURIComponent(query)}`, {
        headers: { accept: "application/json" }
      })
      const { data } = await response.json()
      if (own === asked) show(data)
    } catch {
      // Enter opens the page of results.
      if (own === asked) close()
    }
  }, 90)
})
input.addEventListener("keydown", (event) => {
  if (event.key === "Escape") return close()
  if (list.hidden) return
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault()
    choose(event.key === "ArrowDown" ? chosen + 1 : chosen < 0 ? -1 : chosen - 1)
  } else if (event.key === "Enter" && chosen >= 0) {
    event.preventDefault()
    const { href } = optionsIn()[chosen].dataset
    if (href !== undefined) location.assign(href)
    close()
  }
})
list.addEventListener("mousedown", (event) => event.preventDefault())
list.addEventListener("click", (event) => {
  const href = event.target.closest("[role=option]")?.dataset.href
  if (href === undefined) return
  location.assign(href)
  close()
})
form.addEventListener("focusout", (event) => {
  if (!form.contains(event.relatedTarget)) close()
})
addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select") !== null
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  input.focus()
  input.select()
})
