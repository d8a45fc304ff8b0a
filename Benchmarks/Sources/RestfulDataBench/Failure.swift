/// The reason why the measurement failed.
struct Failure: Error, CustomStringConvertible {
    let description: String
}
