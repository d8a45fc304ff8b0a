"""The blog as JSON:API documents: https://django-rest-framework-json-api.readthedocs.io."""

from django.db.models import Max
from django.urls import include, path, re_path
from django.utils.decorators import method_decorator
from django.views.decorators.http import condition
from rest_framework.routers import SimpleRouter
from rest_framework_json_api import serializers, views
from rest_framework_json_api.relations import HyperlinkedRelatedField, ResourceRelatedField

from .models import Article, Author, Comment, Tag
from .seeds import reset_view


def dated(view):
    """Lets an object be asked for by when it has changed last, and a list by when something of the model has."""

    def last_modified(request, *args, pk=None, **kwargs):
        all = view.queryset.model.objects
        return (all.filter(pk=pk) if pk else all).aggregate(last=Max("updated_at"))["last"]

    decorator = method_decorator(condition(last_modified_func=last_modified))
    view.list, view.retrieve = decorator(view.list), decorator(view.retrieve)
    return view


class AuthorSerializer(serializers.ModelSerializer):
    related_serializers = {"articles": "blog.jsonapi.ArticleSerializer"}
    # Without linkage: where the articles are is all that is said.
    articles = HyperlinkedRelatedField(
        many=True, read_only=True, related_link_view_name="author-related", related_link_url_kwarg="pk"
    )

    class Meta:
        model = Author
        fields = ["name", "email", "born_on", "created_at", "articles"]


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["name"]


class CommentSerializer(serializers.ModelSerializer):
    included_serializers = {"article": "blog.jsonapi.ArticleSerializer", "author": AuthorSerializer}

    class Meta:
        model = Comment
        fields = ["body", "created_at", "article", "author"]


class ArticleSerializer(serializers.ModelSerializer):
    included_serializers = {"author": AuthorSerializer, "tags": TagSerializer, "comments": CommentSerializer}
    # With links beside the linkage.
    tags = ResourceRelatedField(
        many=True, queryset=Tag.objects, required=False, related_link_view_name="article-related",
        self_link_view_name="article-relationships",
    )

    class Meta:
        model = Article
        fields = [
            "title", "slug", "body", "state", "published_at", "price", "featured", "created_at", "author", "tags",
            "comments",
        ]
        read_only_fields = ["comments"]

    class JSONAPIMeta:
        included_resources = ["author", "tags"]


@dated
class AuthorViewSet(views.ModelViewSet):
    """Its articles are at /authors/1/articles."""

    queryset = Author.objects.order_by("id")
    serializer_class = AuthorSerializer


@dated
class TagViewSet(views.ModelViewSet):
    queryset = Tag.objects.order_by("id")
    serializer_class = TagSerializer


@dated
class ArticleViewSet(views.ModelViewSet):
    """Its related resources are at /articles/1/tags, and so on."""

    queryset = Article.objects.order_by("id")
    serializer_class = ArticleSerializer


@dated
class CommentViewSet(views.ModelViewSet):
    queryset = Comment.objects.order_by("id")
    serializer_class = CommentSerializer


class ArticleRelationshipView(views.RelationshipView):
    queryset = Article.objects


router = SimpleRouter(trailing_slash=False)
router.register("authors", AuthorViewSet, basename="author")
router.register("tags", TagViewSet, basename="tag")
router.register("articles", ArticleViewSet, basename="article")
router.register("comments", CommentViewSet, basename="comment")

urlpatterns = [
    path("reset", reset_view),
    re_path(
        r"^articles/(?P<pk>\d+)/relationships/(?P<related_field>\w+)$", ArticleRelationshipView.as_view(),
        name="article-relationships",
    ),
    path(
        "authors/<int:pk>/<str:related_field>", AuthorViewSet.as_view({"get": "retrieve_related"}),
        name="author-related",
    ),
    path(
        "articles/<int:pk>/<str:related_field>", ArticleViewSet.as_view({"get": "retrieve_related"}),
        name="article-related",
    ),
    path("", include(router.urls)),
]
