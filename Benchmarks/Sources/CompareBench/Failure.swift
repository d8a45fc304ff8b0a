/// Why the comparison ended early.
struct Failure: Error, CustomStringConvertible {
    let description: String
}
