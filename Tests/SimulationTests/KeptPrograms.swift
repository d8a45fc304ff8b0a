import Testing

/// A program that once showed a fault, as short as it got, and must find nothing.
struct KeptProgram: Sendable, CustomTestStringConvertible {
    let name: String
    let steps: [Step]

    var testDescription: String { name }
}

extension KeptProgram {
    static let all: [KeptProgram] = [
        KeptProgram(
            name: "An edit while a creation is on its way survives and is unsent",
            steps: [
                .make(in: 0, .owner(1)),
                .edit(in: 0, .owner(1), .a, 1),
                .create(in: 0, .owner(1), .whole),
                .edit(in: 0, .owner(1), .a, 2),
                .save(in: 0),
                .settle(pick: 0),
            ]),
    ]
}
