package dev.sharding.test;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Predicate;

import io.fabric8.kubernetes.api.model.flowcontrol.v1.FlowSchema;
import io.fabric8.kubernetes.api.model.flowcontrol.v1.FlowSchemaBuilder;
import io.fabric8.kubernetes.api.model.flowcontrol.v1.PriorityLevelConfiguration;
import io.fabric8.kubernetes.api.model.flowcontrol.v1.PriorityLevelConfigurationBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * A user whose requests for one resource the API server answers with 429 (Too Many
 * Requests) and a {@code Retry-After}, which is one second at first: API Priority and
 * Fairness gives them a priority level whose only seat somebody else holds. It takes
 * effect before permissions are looked at. The administrator cannot be throttled. About
 * once a minute the seat is taken anew, and a request of the user may be faster.
 */
public final class ThrottledUser implements AutoCloseable {

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	/* Before those that every cluster has, but for the exempt and the probes. */
	private static final int PRECEDENCE = 50;

	private static final int TOO_MANY_REQUESTS = 429;

	private final KubernetesClient admin;

	private final HttpClient client;

	private final HttpRequest probe;

	private final PriorityLevelConfiguration oneSeat;

	private final FlowSchema requests;

	private final HeldSeat seat;

	private ThrottledUser(ControlPlane controlPlane, Access user, String group, String resource) {
		this.admin = controlPlane.client();
		this.client = user.jdkClient();
		this.probe = get(user, group, resource);
		String name = "sharding-test-throttle-" + UUID.randomUUID();
		Access holder = controlPlane.user(name,
				new PolicyRuleBuilder().withApiGroups("").withResources("configmaps").withVerbs("create").build());
		this.oneSeat = this.admin.resource(priorityLevel(name)).create();
		this.requests = this.admin.resource(flowSchema(name, holder, user, group, resource)).create();
		await("the priority level", this::isOfTheLevel);
		this.seat = new HeldSeat(holder);
		await("the first refusal", ThrottledUser::isRefused);
	}

	/**
	 * Throttles a user until this is closed.
	 * @param controlPlane where the user is known
	 * @param user a user who is no administrator
	 * @param group the group of the resource, empty for the core group
	 * @param resource the plural, such as "secrets"
	 * @return the throttle, in effect
	 */
	public static ThrottledUser of(ControlPlane controlPlane, Access user, String group, String resource) {
		return new ThrottledUser(controlPlane, user, group, resource);
	}

	/* Without shares there is one seat, for a request that comes when nobody has it. */
	private static PriorityLevelConfiguration priorityLevel(String name) {
		return new PriorityLevelConfigurationBuilder().withNewMetadata()
			.withName(name)
			.endMetadata()
			.withNewSpec()
			.withType("Limited")
			.withNewLimited()
			.withNominalConcurrencyShares(0)
			.withLendablePercent(0)
			.withBorrowingLimitPercent(0)
			.withNewLimitResponse()
			.withType("Reject")
			.endLimitResponse()
			.endLimited()
			.endSpec()
			.build();
	}

	private static FlowSchema flowSchema(String name, Access holder, Access user, String group, String resource) {
		return new FlowSchemaBuilder().withNewMetadata()
			.withName(name)
			.endMetadata()
			.withNewSpec()
			.withMatchingPrecedence(PRECEDENCE)
			.withNewPriorityLevelConfiguration(name)
			.addNewRule()
			.addNewSubject()
			.withKind("User")
			.withNewUser(holder.user())
			.endSubject()
			.addNewResourceRule()
			.withVerbs("*")
			.withApiGroups("")
			.withResources("configmaps")
			.withNamespaces("*")
			.endResourceRule()
			.endRule()
			.addNewRule()
			.addNewSubject()
			.withKind("User")
			.withNewUser(user.user())
			.endSubject()
			.addNewResourceRule()
			.withVerbs("*")
			.withApiGroups(group)
			.withResources(resource)
			.withNamespaces("*")
			.withClusterScope(true)
			.endResourceRule()
			.endRule()
			.endSpec()
			.build();
	}

	/* Which version it is, and whether there is any, matters after the throttle. */
	private static HttpRequest get(Access user, String group, String resource) {
		String path = (group.isEmpty() ? "/api/v1/" : "/apis/" + group + "/v1/") + resource + "?limit=1";
		return HttpRequest.newBuilder(URI.create(user.config().getMasterUrl()).resolve(path))
			.header("Authorization", "Bearer " + user.config().getOauthToken())
			.build();
	}

	private boolean isOfTheLevel(HttpResponse<?> response) {
		return response.headers()
			.firstValue("X-Kubernetes-PF-PriorityLevel-UID")
			.filter(this.oneSeat.getMetadata().getUid()::equals)
			.isPresent();
	}

	private static boolean isRefused(HttpResponse<?> response) {
		return response.statusCode() == TOO_MANY_REQUESTS;
	}

	/* The API server learns of it through a watch of its own, thus a moment later. */
	private void await(String what, Predicate<HttpResponse<?>> condition) {
		Waits.until(TIMEOUT, what, () -> {
			try {
				return condition.test(this.client.send(this.probe, BodyHandlers.discarding()));
			}
			catch (IOException ex) {
				return false;
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("Interrupted while waiting for " + what, ex);
			}
		});
	}

	/** Lets the user's requests through again. Returns when that is so. */
	@Override
	public void close() {
		this.seat.close();
		this.admin.resource(this.requests).delete();
		this.admin.resource(this.oneSeat).delete();
		await("the end of refusals", (response) -> !isRefused(response) && !isOfTheLevel(response));
	}

}
