import ArgumentParser
import RestfulData

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say how models become tables, JSON and routes, and by which rules. Needs no server.")

    enum ModelName: String, ExpressibleByArgument, CaseIterable {
        case user, repository, issue, label, milestone, comment

        init?(argument: String) { self.init(rawValue: argument.lowercased()) }

        var model: any Model.Type { GitHub.models[Self.allCases.firstIndex(of: self) ?? 0] }
    }

    @Argument(help: "The model; all of them if none is named.") var model: ModelName?
    @Flag(help: "Draw all models and their relationships, in Mermaid's language.") var graph = false
    @OptionGroup var output: JSONFlag

    func validate() throws {
        if graph, model != nil { throw ValidationError("--graph draws all models: leave out the model.") }
    }

    @MainActor func run() async throws {
        let store = try Store(.temporary, models: GitHub.models, api: .gitHub(ServiceOptions.gitHub))
        let text = graph ? store.modelGraph : model.map { store.explain($0.model) } ?? store.explain()
        try output.show(text, json: ["explanation": JSON(text)])
    }
}
