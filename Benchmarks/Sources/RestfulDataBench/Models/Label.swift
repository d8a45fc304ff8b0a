import RestfulData

@Model
final class Label {
    var identifier: Int?
    var nodeIdentifier = ""
    var url = ""
    var name = ""
    @Attribute("description") var summary: String?
    var color = ""
    @Attribute("default") var isDefault = false
}
