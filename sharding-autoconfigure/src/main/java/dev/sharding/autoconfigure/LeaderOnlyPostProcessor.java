package dev.sharding.autoconfigure;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;

import dev.sharding.internal.autoconfigure.settings.ShardingStartupException;
import dev.sharding.leadership.LeaderElection;
import dev.sharding.leadership.LeaderOnly;
import dev.sharding.leadership.LeaderWork;

/**
 * Has calls of methods with {@link LeaderOnly} ask the election. Goes before what
 * schedules methods, so that this calls the proxy; around a transaction, so that this
 * ends within the work; and within {@code @Async}.
 */
final class LeaderOnlyPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

	private static final long serialVersionUID = 1L;

	/** Of each class that was looked at, whether it has such methods. */
	private final transient Map<Class<?>, Boolean> concerned = new ConcurrentHashMap<>();

	private transient @Nullable ListableBeanFactory factory;

	LeaderOnlyPostProcessor(ObjectProvider<LeaderElection> election) {
		setProxyTargetClass(true);
		setBeforeExistingAdvisors(true);
		setOrder(Ordered.LOWEST_PRECEDENCE - 1);
		this.advisor = new DefaultPointcutAdvisor(new AnnotationMatchingPointcut(null, LeaderOnly.class, true),
				new Ask(election));
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		super.setBeanFactory(beanFactory);
		this.factory = (beanFactory instanceof ListableBeanFactory listable) ? listable : null;
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
		if (isConcerned(type)) {
			LeaderElectionUsers.leaderOnly(type).forEach((method) -> requireUsable(method, beanName));
			requireElection(beanName);
		}
		return bean;
	}

	@Override
	protected boolean isEligible(Class<?> targetClass) {
		return isConcerned(targetClass) && super.isEligible(targetClass);
	}

	private boolean isConcerned(Class<?> type) {
		return this.concerned.computeIfAbsent(type,
				(absent) -> LeaderElectionUsers.isOfUser(absent) && !LeaderElectionUsers.leaderOnly(absent).isEmpty());
	}

	/* The class of a bean is not always known before it is made. */
	private void requireElection(String bean) {
		if (this.factory != null && this.factory.getBeanNamesForType(LeaderElection.class, true, false).length == 0) {
			throw new ShardingStartupException(
					"Bean '%s' has a method with @LeaderOnly, but that was not seen before the bean was made, so there is no leader election"
						.formatted(bean),
					"Set 'sharding.leader-election.enabled' to true, or declare the class of the bean as the return type of its @Bean method.",
					null);
		}
	}

	private static void requireUsable(Method method, String bean) {
		int modifiers = method.getModifiers();
		String problem = null;
		if (method.getReturnType() != void.class) {
			problem = "returns something, of which there is none where it does not run";
		}
		else if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
			problem = "is private, static or final, so that no proxy can keep it from running";
		}
		else if (Modifier.isFinal(method.getDeclaringClass().getModifiers())) {
			problem = "is in a final class, so that no proxy can keep it from running";
		}
		if (problem != null) {
			throw new ShardingStartupException(
					"Method '%s' of bean '%s' is annotated with @LeaderOnly, but %s".formatted(method.getName(), bean,
							problem),
					"Change the method, or ask the bean of type LeaderElection in its body instead.", null);
		}
	}

	/**
	 * Asks the election before each call.
	 *
	 * @param election the election, made when it is first asked
	 */
	private record Ask(ObjectProvider<LeaderElection> election) implements MethodInterceptor {

		@Override
		public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
			Optional<LeaderWork> begun = this.election.getObject().begin();
			if (begun.isEmpty()) {
				return null;
			}
			try (LeaderWork work = begun.get()) {
				return invocation.proceed();
			}
		}

	}

}
