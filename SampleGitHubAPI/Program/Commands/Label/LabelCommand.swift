import ArgumentParser
import RestfulData

struct LabelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "label", abstract: "List labels, make one, change or delete it.",
        subcommands: [LabelList.self, LabelCreate.self, LabelEdit.self, LabelDelete.self])
}

struct LabelArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("`bug -R owner/name`, or `owner/name bug`.", valueName: "label"),
        completion: .custom(StoredNames.labels))
    var words: [String]
    @OptionGroup var options: PlaceOptions

    var place: PlaceOptions.Place {
        get throws { try options.place(words) }
    }

    func validate() throws { _ = try place }

    @MainActor func fetch(_ gitHub: GitHub) async throws -> Label {
        let place = try place
        return try await gitHub.label(place.name, in: gitHub.repository(place.repository))
    }
}

struct LabelFields: ParsableArguments {
    @Option(name: .shortAndLong, help: "Six hexadecimal digits, such as d73a4a.") var color: String?
    @Option(name: .shortAndLong, help: "What the label says, in at most 100 characters.") var description: String?

    var isGiven: Bool { color != nil || description != nil }

    func apply(to label: Label) {
        if let color { label.color = color }
        if let description { label.summary = description }
    }
}
