import RestfulData

@Model
final class Release {
    var identifier: Int?
    var tagName = ""
    var author: User?
    var assets: [Asset]
}

@Model
final class Asset {
    var identifier: Int?
    var name = ""
    var size = 0
    var uploader: User?
}
