"""The blog with embedded objects and camelCase names, as many a service for a web client has it."""

from django.urls import include, path
from rest_framework import serializers, viewsets
from rest_framework.routers import SimpleRouter

from . import rest
from .models import Article, Author, Tag
from .seeds import reset_view


class ArticleSerializer(serializers.ModelSerializer):
    """Answers objects and takes ids."""

    author = rest.AuthorSerializer(read_only=True)
    tags = rest.TagSerializer(many=True, read_only=True)
    author_id = serializers.PrimaryKeyRelatedField(source="author", queryset=Author.objects.all(), write_only=True)
    tag_ids = serializers.PrimaryKeyRelatedField(
        source="tags", queryset=Tag.objects.all(), many=True, write_only=True, required=False
    )

    class Meta(rest.ArticleSerializer.Meta):
        model = Article
        fields = [*rest.ArticleSerializer.Meta.fields, "author_id", "tag_ids"]


class ArticleViewSet(rest.ArticleViewSet):
    serializer_class = ArticleSerializer


router = SimpleRouter(trailing_slash=False)
router.register("authors", rest.AuthorViewSet, basename="author")
router.register("tags", rest.TagViewSet, basename="tag")
router.register("articles", ArticleViewSet, basename="article")
below_articles = SimpleRouter(trailing_slash=False)
below_articles.register("comments", rest.CommentViewSet, basename="article-comment")
below_articles.register("tags", rest.ArticleTagViewSet, basename="article-tag")

urlpatterns = [
    path("reset", reset_view),
    path("", include(router.urls)),
    path("articles/<int:article_pk>/", include(below_articles.urls)),
]
