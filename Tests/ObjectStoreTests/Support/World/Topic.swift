import RestfulData

/// Many to many with repositories, with a list on both sides; its identity is text.
@Model(identity: "name")
final class Topic {
    var name: String?
    var repositories: [Repository]
}
