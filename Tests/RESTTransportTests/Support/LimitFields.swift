import HTTPTypes

// The header fields by which servers report their limits.
let limitAll = HTTPField.Name("X-RateLimit-Limit")!
let limitLeft = HTTPField.Name("X-RateLimit-Remaining")!
let limitReset = HTTPField.Name("X-RateLimit-Reset")!
let limitResource = HTTPField.Name("X-RateLimit-Resource")!
let rateLimit = HTTPField.Name("RateLimit")!
let rateLimitPolicy = HTTPField.Name("RateLimit-Policy")!
