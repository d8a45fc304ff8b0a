import RestfulData

@Model("/repos/:repository.full_name/labels", key: "name")
final class Label {
    var identifier: Int?
    var name = ""
    var color = ""
    @Attribute("description") var summary: String?
    @Attribute("new_name", access: .writeOnly) var newName: String?  // what GitHub renames by
    var repository: Repository?
}
