package dev.sharding.josdk;

import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.Client;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.config.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import org.springframework.aop.framework.AopProxyUtils;

import dev.sharding.resource.GroupResource;

/**
 * Finds what keeps an operator from being sharded as it is.
 */
final class OperatorCheck {

	private OperatorCheck() {
	}

	/** Looks whether it is known which resource a controller reconciles. */
	static void requireResource(ControllerConfiguration<?> configuration) {
		if (configuration.getResourceClass() == (Class<?>) GenericKubernetesResource.class) {
			throw new OperatorSetupException(
					"Controller '%s' reconciles GenericKubernetesResource, which names no resource"
						.formatted(configuration.getName()),
					"Give the resource a class of its own, annotated with @Group and @Version of fabric8.");
		}
	}

	/**
	 * Looks at a reconciler and how it is configured.
	 * @param client the fenced client
	 */
	static void requireShardable(Reconciler<?> reconciler, ControllerConfiguration<?> configuration,
			KubernetesClient client) {
		if (configuration.triggerReconcilerOnAllEvents()) {
			throw new OperatorSetupException(
					"Controller '%s' wants all events, but an object that another shard takes over looks deleted"
						.formatted(configuration.getName()),
					"Switch triggerReconcilerOnAllEvents off and clean up by a finalizer: have the reconciler implement Cleaner.");
		}
		requireNoClient("Reconciler", reconciler, client);
	}

	/**
	 * Looks at what a reconcile runs through.
	 * @param role what it is, for people
	 * @param user the reconciler, or a dependent of it
	 * @param client the fenced client
	 */
	static void requireNoClient(String role, Object user, KubernetesClient client) {
		lookForClients(role, behindProxies(user), client);
	}

	/* The fields of a proxy are empty. */
	private static Object behindProxies(Object bean) {
		Object target = bean;
		for (Object next = bean; next != null; next = AopProxyUtils.getSingletonTarget(target)) {
			target = next;
		}
		return target;
	}

	private static void lookForClients(String role, Object user, KubernetesClient client) {
		for (Class<?> type = user.getClass(); type != null && type != Object.class; type = type.getSuperclass()) {
			for (Field field : type.getDeclaredFields()) {
				if (Client.class.isAssignableFrom(field.getType()) && isOther(user, field, client)) {
					throw new OperatorSetupException(
							"%s %s has a client of its own in '%s', whose writes no fence stops when the shard has lost its Lease or the object"
								.formatted(role, user.getClass().getName(), field.getName()),
							"Take the client from the context of the reconcile (context.getClient()), or inject it with @Qualifier(\"%s\")."
								.formatted(OperatorAutoConfiguration.CLIENT));
				}
			}
		}
	}

	private static boolean isOther(Object user, Field field, KubernetesClient client) {
		try {
			field.setAccessible(true);
			Object value = field.get(user);
			return value != null && value != client;
		}
		catch (IllegalAccessException | InaccessibleObjectException ex) {
			return false;
		}
	}

	/** Looks whether the objects of a controller are shared out. */
	static void requireMain(String controller, GroupResource main, RingResources ring) {
		if (!ring.isMain(main)) {
			throw new OperatorSetupException(
					"Controller '%s' reconciles %s, which the ControllerRing does not list as a main resource (it lists %s)"
						.formatted(controller, main, ring.controlled().keySet()),
					"Add the resource to spec.resources of the ControllerRing, with the resources of its dependents as controlledResources.");
		}
	}

	/**
	 * Looks at an event source that holds Kubernetes objects and is no informer of the
	 * SDK.
	 */
	static void requireNarrowable(String controller, String source, GroupResource resource, GroupResource main,
			RingResources ring) {
		if (ring.isControlledBy(resource, main)) {
			throw new OperatorSetupException(
					"Event source '%s' of controller '%s' holds %s, which the ring shares out, and takes no label selector"
						.formatted(source, controller, resource),
					"Use an InformerEventSource, which gets the label selector of the shard; or remove the resource from controlledResources of the ControllerRing, if each shard is to see all of it.");
		}
	}

}
