import ArgumentParser

struct LabelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "label", abstract: "Make a label, change or delete it.",
        subcommands: [LabelCreate.self, LabelEdit.self, LabelDelete.self])
}

/// Which label a command is about, and what it can be given.
struct LabelArguments: ParsableArguments {
    @Argument(help: RepositoryName.help) var repository: RepositoryName
    @Argument(help: "The label's name.") var name: String
}

struct LabelFields: ParsableArguments {
    @Option(help: "Six hexadecimal digits, such as d73a4a.") var color: String?
    @Option(help: "What the label says, in at most 100 characters.") var description: String?

    func apply(to label: Label) {
        if let color { label.color = color }
        if let description { label.summary = description }
    }
}
