import { testShortForm } from "../support/short-form.ts"

testShortForm("http-fuzz")
