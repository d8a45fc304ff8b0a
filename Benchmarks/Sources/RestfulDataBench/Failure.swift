/// Why nothing was measured.
struct Failure: Error, CustomStringConvertible {
    let description: String
}
