"""The blog in Django REST Framework's own style: trailing slashes, page objects, relationships as ids."""

from django.shortcuts import get_object_or_404
from django.urls import include, path
from rest_framework import serializers, status, viewsets
from rest_framework.decorators import action
from rest_framework.response import Response
from rest_framework.routers import DefaultRouter

from .models import Article, Author, Comment, Tag
from .seeds import reset_view


class AuthorSerializer(serializers.ModelSerializer):
    class Meta:
        model = Author
        fields = ["id", "name", "email", "born_on", "created_at"]


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class ArticleSerializer(serializers.ModelSerializer):
    class Meta:
        model = Article
        fields = [
            "id", "title", "slug", "body", "state", "published_at", "price", "featured", "created_at", "author", "tags",
        ]

    def validate(self, values):
        if values.get("featured") and values.get("state") == Article.State.DRAFT:
            raise serializers.ValidationError("A draft can't be featured.")
        return values


class CommentSerializer(serializers.ModelSerializer):
    class Meta:
        model = Comment
        fields = ["id", "article", "author", "body", "created_at"]
        read_only_fields = ["article"]


class AuthorViewSet(viewsets.ModelViewSet):
    queryset = Author.objects.order_by("id")
    serializer_class = AuthorSerializer

    @action(detail=True)
    def articles(self, request, pk=None):
        """GET /authors/1/articles/: the author's articles, in pages."""
        page = self.paginate_queryset(self.get_object().articles.order_by("id"))
        return self.get_paginated_response(ArticleSerializer(page, many=True).data)


class TagViewSet(viewsets.ModelViewSet):
    queryset = Tag.objects.order_by("id")
    serializer_class = TagSerializer


class ArticleViewSet(viewsets.ModelViewSet):
    queryset = Article.objects.order_by("id")
    serializer_class = ArticleSerializer


class NestedViewSet(viewsets.ModelViewSet):
    """Resources below an article."""

    @property
    def article(self):
        return get_object_or_404(Article, pk=self.kwargs["article_pk"])


class CommentViewSet(NestedViewSet):
    serializer_class = CommentSerializer

    def get_queryset(self):
        return self.article.comments.order_by("id")

    def perform_create(self, serializer):
        serializer.save(article=self.article)


class ArticleTagViewSet(NestedViewSet):
    """POST /articles/1/tags/ puts tags on an article, those of its "tags" or a new one; DELETE takes one off."""

    serializer_class = TagSerializer

    def get_queryset(self):
        return self.article.tags.order_by("id")

    def create(self, request, *args, **kwargs):
        known = request.data.get("tags", request.data.get("tag_ids"))
        if known is None:
            return super().create(request, *args, **kwargs)
        self.article.tags.add(*known)
        return Response(status=status.HTTP_204_NO_CONTENT)

    def perform_create(self, serializer):
        self.article.tags.add(serializer.save())

    def perform_destroy(self, tag):
        self.article.tags.remove(tag)


router = DefaultRouter()
router.register("authors", AuthorViewSet, basename="author")
router.register("tags", TagViewSet, basename="tag")
router.register("articles", ArticleViewSet, basename="article")
below_articles = DefaultRouter()
below_articles.include_root_view = False
below_articles.register("comments", CommentViewSet, basename="article-comment")
below_articles.register("tags", ArticleTagViewSet, basename="article-tag")

urlpatterns = [
    path("reset", reset_view),
    path("", include(router.urls)),
    path("articles/<int:article_pk>/", include(below_articles.urls)),
]
