/** As it was chosen in the console, told by the address. The theme comes as the system's own. */
const chosen = new URLSearchParams(location.search).get("contrast")
if (chosen === "standard" || chosen === "more") document.documentElement.dataset["contrast"] = chosen
