/// An invalid command line.
struct Misuse: Error, CustomStringConvertible {
    let description: String
}
